{-# LANGUAGE LambdaCase #-}
-- | A tiny queue of jobs.
module Queue.Jobs
  ( Job (..)
  , push
  ) where

import qualified Data.Map as M
import Data.List (sortOn)

-- | One job with a priority.
data Job = Job
  { jobName :: String
  , priority :: Int
  } deriving (Show, Eq)

newtype Queue a = Queue { unQueue :: M.Map Int [a] }

type Name = String

data Shape where
  Circle :: Double -> Shape

-- | Things with a cost.
class Costly a where
  cost :: a -> Int
  cost _ = 1

instance Costly Job where
  cost j = priority j * 2

-- | Adds a job to the queue.
push :: Job -> Queue Job -> Queue Job
push j (Queue m) = Queue (M.insertWith (++) key [j] m)
  where
    key = priority j

emptyQueue :: Queue a
emptyQueue = Queue M.empty

total :: [Job] -> Int
total [] = 0
total (j : js) = cost j + total js

infixl 6 <+>
(<+>) :: Queue a -> Queue a -> Queue a
a <+> b = Queue (M.unionWith (++) (unQueue a) (unQueue b))

main :: IO ()
main = do
  let local = total []
  print local
