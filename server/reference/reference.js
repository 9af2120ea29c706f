// Filters the list of operations, and copies samples. The page is complete without it.
const filter = document.querySelector('#filter');
const entries = [...document.querySelectorAll('nav li')].map((item) => {
  const id = item.querySelector('a').getAttribute('href').slice(1);
  return { item, text: `${item.textContent} ${document.getElementById(id).textContent}`.toLowerCase() };
});
filter.addEventListener('input', () => {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { item, text } of entries) item.hidden = !words.every((word) => text.includes(word));
  for (const section of document.querySelectorAll('nav section')) {
    section.hidden = section.querySelector('li:not([hidden])') === null;
  }
});

for (const sample of document.querySelectorAll('.sample')) {
  const button = document.createElement('button');
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(sample.querySelector('code').textContent);
    button.textContent = 'Copied';
  });
  sample.append(button);
}
