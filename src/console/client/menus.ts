/** Closes menus by Escape and by a click elsewhere, and brings the current page into view in the side bar. */
export function menus(): void {
  const close = (but: Element | null) => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]'))
      if (!but || !menu.contains(but)) menu.open = false
  }
  document.addEventListener('click', (event) => close(event.target as Element))
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return
    const open = document.activeElement?.closest<HTMLElement>('details.menu[open]')
    close(null)
    open?.querySelector('summary')?.focus()
    if (location.hash === '#menu') location.hash = 'main'
  })
  const [side, current] = ['.side', '.side [aria-current]'].map((name) => document.querySelector<HTMLElement>(name))
  if (side && current) side.scrollTop = Math.max(0, current.offsetTop + 2 * current.offsetHeight - side.clientHeight)
}
