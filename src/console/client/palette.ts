type Entry = { label: string; href: string; hint: string }

function entriesOfPage(): Entry[] {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('.frame > .side a, .crumbs a, .mine a')]
  return links.map((link) => ({
    label: (link.textContent ?? '').trim(),
    href: link.href,
    hint: link.closest('section')?.querySelector('h2')?.textContent ?? '',
  }))
}

let asked: AbortController | undefined
async function projects(text: string): Promise<Entry[]> {
  asked?.abort()
  asked = new AbortController()
  const answer = await fetch(`/search?search=${encodeURIComponent(text)}`, { signal: asked.signal })
  const found = new DOMParser().parseFromString(await answer.text(), 'text/html')
  return [...found.querySelectorAll<HTMLAnchorElement>('main .rows a.strong')].map((link) => ({
    label: (link.textContent ?? '').trim(),
    href: new URL(link.getAttribute('href') ?? '/', location.href).href,
    hint: 'Project',
  }))
}

/** Ctrl-K: goes to a page of this project, or to any project. Also `/` for the search, and `g` with a letter. */
export function palette(): void {
  const dialog = document.createElement('dialog')
  dialog.className = 'palette'
  dialog.setAttribute('aria-label', 'Go to')
  const input = Object.assign(document.createElement('input'), {
    type: 'search',
    placeholder: 'Go to a page or project …',
    autocomplete: 'off',
  })
  input.setAttribute('aria-label', 'Go to a page or project')
  const list = document.createElement('ul')
  dialog.append(input, list)
  document.body.append(dialog)
  let chosen = 0
  let shown: Entry[] = []
  const draw = (entries: Entry[]) => {
    shown = entries.slice(0, 12)
    chosen = Math.min(chosen, Math.max(0, shown.length - 1))
    list.replaceChildren(
      ...shown.map(({ label, href, hint }, index) => {
        const link = Object.assign(document.createElement('a'), { href, textContent: label })
        const small = Object.assign(document.createElement('small'), { textContent: hint })
        link.append(small)
        const item = document.createElement('li')
        item.className = index === chosen ? 'chosen' : ''
        item.append(link)
        return item
      }),
    )
  }
  const update = async () => {
    const text = input.value.trim().toLowerCase()
    const own = entriesOfPage().filter(({ label }) => label.toLowerCase().includes(text))
    draw(own)
    if (text.length > 1) draw([...own, ...(await projects(text).catch(() => []))])
  }
  input.addEventListener('input', () => {
    chosen = 0
    void update()
  })
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  dialog.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      chosen = (chosen + (event.key === 'ArrowDown' ? 1 : shown.length - 1)) % Math.max(1, shown.length)
      draw(shown)
      event.preventDefault()
    } else if (event.key === 'Enter' && shown[chosen]) location.assign((shown[chosen] as Entry).href)
  })
  const open = () => {
    input.value = ''
    chosen = 0
    void update()
    dialog.showModal()
  }
  const goes: Record<string, string> = {
    i: 'Issues',
    p: 'Pipelines',
    f: 'Files',
    c: 'Commits',
    b: 'Branches',
    m: 'Merge requests',
    h: 'Project',
  }
  let after = 0
  document.addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
      event.preventDefault()
      return open()
    }
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      (event.target as Element).closest('input, textarea, select, dialog')
    )
      return
    if (event.key === '/') {
      event.preventDefault()
      document.querySelector<HTMLInputElement>('.top input[type=search]')?.focus()
    } else if (event.key === 'g') after = Date.now()
    else if (Date.now() - after < 1_000 && goes[event.key]) {
      const to = entriesOfPage().find(({ label }) => label === goes[event.key])
      if (to) location.assign(to.href)
    }
  })
}
