/** A decimal as a whole number of units of its last decimal. */
type Units = { units: bigint; decimals: number };

/** A plain decimal, as PostgreSQL writes it: `4.99`, `-1`. */
function unitsOf(text: string): Units {
  const [integer = '', fraction = ''] = text.split('.');
  return { units: BigInt(integer + fraction), decimals: fraction.length };
}

/** A sum of decimal texts, exact for any number of decimals: no amount is a floating-point number on the way. */
export class DecimalSum {
  /** In units of the last decimal. */
  #units = 0n;
  #decimals = 0;

  add(text: string): void {
    this.#add(unitsOf(text));
  }

  /** Adds the product of two decimals. */
  addProduct(text: string, factor: string): void {
    const [one, other] = [unitsOf(text), unitsOf(factor)];
    this.#add({ units: one.units * other.units, decimals: one.decimals + other.decimals });
  }

  #add({ units, decimals }: Units): void {
    if (decimals > this.#decimals) {
      this.#units *= 10n ** BigInt(decimals - this.#decimals);
      this.#decimals = decimals;
    }
    this.#units += units * 10n ** BigInt(this.#decimals - decimals);
  }

  /** The sum, or an estimate that is made of it; with as many decimals as the finest amount. */
  times(scale: number): string {
    return scale === 1 ? this.toString() : (Number(this.toString()) * scale).toFixed(this.#decimals);
  }

  toString(): string {
    const isNegative = this.#units < 0n;
    const digits = String(isNegative ? -this.#units : this.#units).padStart(this.#decimals + 1, '0');
    const integer = digits.slice(0, digits.length - this.#decimals);
    const fraction = digits.slice(digits.length - this.#decimals);
    return `${isNegative ? '-' : ''}${integer}${fraction === '' ? '' : `.${fraction}`}`;
  }
}

/** `12.50` is `12.5`, and `-0.00` is `0`. */
export function trimDecimal(decimal: string): string {
  const trimmed = decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
  return trimmed === '-0' ? '0' : trimmed;
}
