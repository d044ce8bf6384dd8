/** Letters that are written in one go are searched for at once. */
const pauseMs = 120

/** Lists the files that match while one writes; arrows choose one, and Enter opens it. */
export function fileFinder(): void {
  const form = document.querySelector<HTMLFormElement>('form.finder')
  const input = form?.querySelector<HTMLInputElement>('input')
  const list = document.querySelector<HTMLElement>('.found')
  if (!form || !input || !list) return
  let chosen = 0
  let shown = input.value
  let timer: ReturnType<typeof setTimeout> | undefined
  let asked: AbortController | undefined
  const mark = () => {
    for (const [index, row] of list.querySelectorAll('.rows > li').entries()) {
      row.classList.toggle('chosen', index === chosen)
      if (index === chosen) row.scrollIntoView({ block: 'nearest' })
    }
  }
  const update = async () => {
    asked?.abort()
    asked = new AbortController()
    const wanted = input.value
    const address = `${form.action}?search=${encodeURIComponent(wanted)}`
    const answer = await fetch(address, { signal: asked.signal })
    const found = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('.found')
    list.replaceChildren(...(found?.childNodes ?? []))
    history.replaceState(null, '', address)
    shown = wanted
    chosen = 0
    mark()
  }
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void update().catch(() => undefined), pauseMs)
  })
  input.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll<HTMLAnchorElement>('.rows a')]
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined && links.length > 0) {
      chosen = (chosen + step + links.length) % links.length
      mark()
      event.preventDefault()
    } else if (event.key === 'Enter' && links[chosen] && input.value === shown) {
      // The form is sent while the list is still that of other letters.
      event.preventDefault()
      location.assign((links[chosen] as HTMLAnchorElement).href)
    }
  })
  mark()
}
