import { entriesOfPage, makeDialog, palette } from './palette.ts'

/** The pages that `g` and a letter lead to, by their names in the side bar. */
const goes: Readonly<Record<string, string>> = {
  h: 'Project',
  f: 'Files',
  c: 'Commits',
  b: 'Branches',
  m: 'Merge requests',
  i: 'Issues',
  w: 'Wiki',
  p: 'Pipelines',
}
const longestPauseMs = 1_500

const others: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Go to any page, project, group or person'],
  ['/', 'Search'],
  ['t', 'Find a file'],
  ['y', 'Address of a file that stays as it is'],
  ['Esc', 'Close'],
  ['?', 'This list'],
]

const makeElement = (name: string, ...children: (Node | string)[]) => {
  const element = document.createElement(name)
  element.append(...children)
  return element
}

/** Makes the list of the keys. @returns opens it */
function keyList(): () => void {
  const known = Object.entries(goes).map(([letter, label]) => [`g ${letter}`, label] as const)
  const rows = [...known, ...others].flatMap(([keys, what]) => [
    makeElement('dt', ...keys.split(' ').map((key) => makeElement('kbd', key))),
    makeElement('dd', what),
  ])
  const dialog = makeDialog('Keys', makeElement('h2', 'Keys'), makeElement('dl', ...rows))
  dialog.classList.add('key-list')
  return () => dialog.showModal()
}

function goTo(label: string | undefined): void {
  const to = label && entriesOfPage().find((entry) => entry.label === label)
  if (to) location.assign(to.href)
}

/** Ctrl-K opens the palette, `/` leads to the search, `g` and a letter to a page, `?` shows the keys. */
export function keys(): void {
  const [openPalette, openKeys] = [palette(), keyList()]
  const own: Readonly<Record<string, () => void>> = {
    '/': () => document.querySelector<HTMLInputElement>('.top input[type=search]')?.focus(),
    '?': openKeys,
  }
  let afterG = 0
  document.addEventListener('keydown', (event) => {
    const { key, ctrlKey, metaKey, altKey } = event
    const isPalette = (ctrlKey || metaKey) && key.toLowerCase() === 'k'
    if (isPalette && !document.querySelector('dialog[open]')) {
      event.preventDefault()
      return openPalette()
    }
    if (ctrlKey || metaKey || altKey || (event.target as Element).closest('input, textarea, select, dialog')) return
    if (own[key]) {
      event.preventDefault()
      own[key]()
    } else if (Date.now() - afterG < longestPauseMs) goTo(goes[key])
    afterG = key === 'g' ? Date.now() : 0
  })
}
