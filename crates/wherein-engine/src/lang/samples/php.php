<?php
declare(strict_types=1);

namespace App\Billing;

use DateTimeImmutable;

const VAT_RATE = 0.19;

/**
 * A bill sent to a customer.
 */
final class Invoice implements Printable
{
    use HasNumber;

    public const CURRENCY = 'EUR';
    private array $lines = [];
    protected static ?int $next = null, $prev = null;

    public function __construct(private readonly string $customer)
    {
        $local = 1;
    }

    /** Adds a line. */
    public function addLine(string $text, float $amount): static
    {
        $fn = function () use ($text) { return $text; };
        $this->lines[] = [$text, $amount];
        return $this;
    }

    abstract protected function rows(): iterable;
}

interface Printable
{
    public function print(): string;
}

trait HasNumber
{
    public int $number = 0;
}

enum Status: string
{
    case Open = 'open';
    case Paid = 'paid';

    public static function initial(): self
    {
        return self::Open;
    }
}

/** Formats money. */
function money(float $v): string
{
    return number_format($v, 2);
}
