-- Sprite sheets for a small game.
local M = {}
local cache = {}

M.VERSION = "0.3"
DEFAULT_SIZE = 16

--- Loads a sheet once.
-- @param path file name
function M.load(path)
  local hit = cache[path]
  if hit then
    return hit
  end
  local function read(p)
    return p .. ".png"
  end
  cache[path] = read(path)
  return cache[path]
end

--[[ Drawing methods,
     called with a sheet. ]]
local Sheet = {}
Sheet.__index = Sheet

function Sheet:draw(x, y)
  local w, h = self.w, self.h
  return x + w, y + h
end

M.clear = function()
  cache = {}
end

local clamp = function(v, lo, hi)
  return math.max(lo, math.min(hi, v))
end

local function helper(n) return clamp(n, 0, 1) end

M.handlers = {
  on_click = function(x, y)
    return helper(x)
  end,
}

function reset() M.clear() end

return M
