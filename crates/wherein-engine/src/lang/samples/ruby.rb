# frozen_string_literal: true

require 'json'

# Mail sending, with a queue in front.
module Postbox
  VERSION = '1.4.0'

  class DeliveryError < StandardError; end

  # Sends messages and retries.
  class Sender
    DEFAULTS = { tries: 3 }.freeze
    attr_reader :host, :sent

    def initialize(host, **opts)
      @host = host
      @opts = DEFAULTS.merge(opts)
    end

    # Delivers one message.
    def deliver(message)
      tries = 0
      begin
        tries += 1
        transmit(message)
      rescue DeliveryError
        retry if tries < @opts[:tries]
      end
    end

    def self.build(config)
      new(config['host'])
    end

    class << self
      def default
        @default ||= build('host' => 'localhost')
      end
    end

    def empty? = @sent.empty?

    private

    def transmit(message)
      raise DeliveryError if message.nil?
    end
  end
end

class Postbox::Archive
  Record = Struct.new(:id, :body)

  def [](id)
    nil
  end
end

def helper(x) = x * 2
