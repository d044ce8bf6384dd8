/** Browsers give the clipboard to pages of HTTPS only; the command is what they have for others. */
async function copy(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text)
    return true
  }
  const before = document.activeElement as HTMLElement | null
  const area = Object.assign(document.createElement('textarea'), { value: text, className: 'hidden' })
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  before?.focus()
  return isDone
}

/** Buttons that copy their text. */
export function copyButtons(): void {
  document.addEventListener('click', async (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy]')
    if (!button || !(await copy(button.dataset.copy ?? '').catch(() => false))) return
    button.classList.add('copied')
    setTimeout(() => button.classList.remove('copied'), 1_200)
  })
}
