// Shows what is on offer to the player.

export function createStorePanel(list, offerLine, { onBuy }) {
  let known;
  return {
    show({ activeSkus }) {
      const offers = new Set(
        activeSkus.filter(({ promoId }) => promoId !== undefined).map(({ skuId }) => skuId),
      );
      list.replaceChildren(...activeSkus.map((sku) => entry(sku, offers.has(sku.skuId), onBuy)));
      // A new offer is announced.
      const fresh = known && activeSkus.find(({ skuId }) => offers.has(skuId) && !known.has(skuId));
      if (fresh) {
        offerLine.textContent = `Just for you: ${fresh.name} for ${price(fresh.offerPrice, fresh.currency)}.`;
        offerLine.hidden = false;
      } else if (offers.size === 0) offerLine.hidden = true;
      known = offers;
    },
  };
}

function entry(sku, isOffer, onBuy) {
  const item = element('li', { className: isOffer ? 'offer' : '' });
  const button = element('button', { type: 'button' });
  if (sku.offerPrice < sku.actualPrice)
    button.append(element('s', {}, price(sku.actualPrice, sku.currency)), ' ');
  button.append(price(sku.offerPrice, sku.currency));
  button.setAttribute('aria-label', `Buy ${sku.name} for ${price(sku.offerPrice, sku.currency)}`);
  button.addEventListener('click', () => onBuy(sku));
  item.append(element('b', {}, sku.name), element('small', {}, sku.description), button);
  return item;
}

function price(amount, currency) {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(amount);
}

/** Text is set as text: names come from the studio, and are never read as HTML. */
function element(name, properties, text = '') {
  return Object.assign(document.createElement(name), properties, text === '' ? {} : { textContent: text });
}
