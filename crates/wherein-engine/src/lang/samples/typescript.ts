import { readFile } from "node:fs/promises";

/** A line of the stock list. */
export interface StockLine {
  sku: string;
  count: number;
  reserve(n: number): boolean;
}

export type SkuMap<T> = Record<string, T>;

export enum Warehouse {
  North = "N",
  South = "S",
}

export abstract class Store<T extends StockLine> {
  protected lines: SkuMap<T> = {};
  static readonly version = 3;
  private onChange = (sku: string): void => {};

  constructor(private readonly where: Warehouse) {}

  /** Looks a line up. */
  find(sku: string): T | undefined {
    const hit = this.lines[sku];
    return hit;
  }

  abstract save(): Promise<void>;
}

export class FileStore extends Store<StockLine> {
  async save(): Promise<void> {
    await readFile("x");
  }
}

export namespace Units {
  export const GRAM = 1;
  export function toKilo(g: number): number {
    return g / 1000;
  }
}

export function parse(text: string): StockLine[];
export function parse(text: string, strict?: boolean): StockLine[] {
  return JSON.parse(text);
}

export const sum = (xs: number[]): number => xs.reduce((a, b) => a + b, 0);
const limits: SkuMap<number> = { a: 1 };
declare module "stock-plugin" {
  export function register(name: string): void;
}
declare const BUILD: string;
