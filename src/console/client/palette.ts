/** Where the palette leads. */
export type Entry = { label: string; href: string; hint: string }

const longestList = 12

/** The links of the frame: those of the side bar, of the steps above the title, and of the own menu. */
export function entriesOfPage(): Entry[] {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.side a, .crumbs a, .mine a')]
  const entries = links.map((link) => ({
    label: (link.textContent ?? '').trim(),
    href: link.href,
    hint: link.closest('.section, section')?.querySelector('h2, summary')?.textContent ?? '',
  }))
  return entries.filter(({ href }, index) => entries.findIndex((one) => one.href === href) === index)
}

let asked: AbortController | undefined
async function found(text: string): Promise<Entry[]> {
  asked?.abort()
  asked = new AbortController()
  const answer = await fetch(`/search?search=${encodeURIComponent(text)}`, { signal: asked.signal })
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return [...page.querySelectorAll<HTMLAnchorElement>('main .rows a.strong')].map((link) => ({
    label: (link.textContent ?? '').trim(),
    href: new URL(link.getAttribute('href') ?? '/', location.href).href,
    hint: link.closest('section')?.querySelector('h2')?.textContent ?? '',
  }))
}

function drawn({ label, href, hint }: Entry, isChosen: boolean): HTMLElement {
  const link = Object.assign(document.createElement('a'), { href, textContent: label })
  link.append(Object.assign(document.createElement('small'), { textContent: hint }))
  const item = document.createElement('li')
  item.className = isChosen ? 'chosen' : ''
  item.append(link)
  return item
}

/** A dialog that is closed by a click beside it. */
export function makeDialog(name: string, ...children: HTMLElement[]): HTMLDialogElement {
  const dialog = document.createElement('dialog')
  dialog.className = 'palette'
  dialog.setAttribute('aria-label', name)
  dialog.append(...children)
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  document.body.append(dialog)
  return dialog
}

/** Makes the palette, which leads to a page of this place, or to what the search finds. @returns opens it */
export function palette(): () => void {
  const words = 'Go to a page, project, group or person'
  const input = Object.assign(document.createElement('input'), {
    ...{ type: 'search', placeholder: `${words} …`, autocomplete: 'off', ariaLabel: words },
  })
  const list = document.createElement('ul')
  const dialog = makeDialog('Go to', input, list)
  let chosen = 0
  let shown: Entry[] = []
  const draw = (entries: Entry[]) => {
    shown = entries.slice(0, longestList)
    chosen = Math.min(chosen, Math.max(0, shown.length - 1))
    list.replaceChildren(...shown.map((entry, index) => drawn(entry, index === chosen)))
  }
  const update = async () => {
    chosen = 0
    const text = input.value.trim().toLowerCase()
    const own = entriesOfPage().filter(({ label }) => label.toLowerCase().includes(text))
    draw(own)
    if (text.length > 1) draw([...own, ...(await found(text).catch(() => []))])
  }
  input.addEventListener('input', () => void update())
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : shown.length - 1)) % Math.max(1, shown.length)
      draw(shown)
      event.preventDefault()
    }
    const entry = shown[chosen]
    if (event.key === 'Enter' && event.target === input && entry) location.assign(entry.href)
  })
  return () => {
    input.value = ''
    void update()
    dialog.showModal()
  }
}
