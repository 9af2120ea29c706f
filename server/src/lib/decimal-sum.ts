/** A sum of decimal texts, exact for any number of decimals: no amount is a floating-point number on the way. */
export class DecimalSum {
  /** In units of the last decimal. */
  #units = 0n;
  #decimals = 0;

  /** A plain decimal, as PostgreSQL writes it: `4.99`, `-1`. */
  add(text: string): void {
    const [integer = '', fraction = ''] = text.split('.');
    if (fraction.length > this.#decimals) {
      this.#units *= 10n ** BigInt(fraction.length - this.#decimals);
      this.#decimals = fraction.length;
    }
    this.#units += BigInt(integer + fraction.padEnd(this.#decimals, '0'));
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
