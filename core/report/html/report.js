// For pointing at things only: the page is complete without.
(() => {
  const tip = document.createElement('div');
  tip.id = 'tip';
  tip.setAttribute('role', 'status');
  document.body.append(tip);
  const words = new WeakMap();
  // The browser's own tooltip would come, late, beside ours.
  for (const title of document.querySelectorAll('main svg title')) {
    words.set(title.parentNode, title.textContent);
    title.remove();
  }
  let same = [];
  const leave = () => {
    tip.style.visibility = 'hidden';
    for (const other of same) other.classList.remove('same');
    same = [];
  };
  document.addEventListener('pointermove', event => {
    leave();
    const text = words.get(event.target);
    if (!text) return;
    tip.textContent = text;
    tip.style.visibility = 'visible';
    const box = tip.getBoundingClientRect();
    const x = Math.min(event.clientX + 14, innerWidth - box.width - 8);
    const below = event.clientY + 18;
    tip.style.left = Math.max(8, x) + 'px';
    tip.style.top = (below + box.height < innerHeight ? below : event.clientY - box.height - 12) + 'px';
    const operation = event.target.dataset.op;
    if (operation === undefined) return;
    const picture = event.target.closest('svg');
    same = [...picture.querySelectorAll('[data-op="' + operation + '"]')];
    for (const other of same) other.classList.add('same');
  }, { passive: true });
  document.addEventListener('pointerleave', leave);
})();
