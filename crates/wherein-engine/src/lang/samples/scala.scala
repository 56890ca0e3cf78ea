package org.example.ledger

import scala.collection.mutable

/** An amount in cents. */
final case class Amount(cents: Long) extends AnyVal {
  def +(other: Amount): Amount = Amount(cents + other.cents)
}

sealed trait Entry {
  def amount: Amount
  type Id
  val label: String
}

object Entry {
  val Zero: Amount = Amount(0)
  implicit val ordering: Ordering[Entry] = Ordering.by(_.amount.cents)
  case object Nothing
}

/** Keeps entries in order. */
class Ledger[F[_]](name: String) extends Serializable {
  private var entries = mutable.ListBuffer.empty[Entry]
  lazy val (first, second) = (1, 2)

  /** Adds an entry. */
  def post(e: Entry)(implicit ord: Ordering[Entry]): Unit = {
    val local = e.amount
    def check(a: Amount): Boolean = a.cents >= 0
    if (check(local)) entries += e
  }

  def this() = this("main")
}

package object syntax {
  type Cents = Long
  implicit class AmountOps(val a: Amount) { def neg: Amount = Amount(-a.cents) }
}

enum Currency(val code: String) {
  case Eur extends Currency("EUR")
  case Usd extends Currency("USD")
}

given amountOrdering: Ordering[Amount] = Ordering.by(_.cents)

extension (a: Amount)
  def isZero: Boolean = a.cents == 0

def parse(text: String): Amount =
  val n = text.toLong
  Amount(n)
