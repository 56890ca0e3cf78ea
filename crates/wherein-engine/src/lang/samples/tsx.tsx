import React, { useState } from "react";

type Item = { id: number; label: string };

/** Props of the basket list. */
interface BasketProps {
  items: Item[];
  onRemove: (id: number) => void;
}

export const EmptyBasket: React.FC = () => <p className="empty">Nothing here yet</p>;

/**
 * Shows the basket and lets people remove lines.
 */
export function Basket({ items, onRemove }: BasketProps) {
  const [open, setOpen] = useState(true);
  const toggle = () => setOpen(!open);
  if (items.length === 0) return <EmptyBasket />;
  return (
    <section>
      <button onClick={toggle}>{open ? "Hide" : "Show"}</button>
      {open && (
        <ul>
          {items.map((it) => (
            <li key={it.id} onClick={() => onRemove(it.id)}>
              {it.label}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export class BasketBoundary extends React.Component<{ children: React.ReactNode }> {
  state = { failed: false };

  componentDidCatch() {
    this.setState({ failed: true });
  }

  render() {
    return this.state.failed ? <EmptyBasket /> : this.props.children;
  }
}

export const MemoBasket = React.memo(Basket);
export default MemoBasket;
