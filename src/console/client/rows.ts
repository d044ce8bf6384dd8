/** Adds an empty row to rows of fields whose last one is written into. */
export function growingRows(): void {
  document.addEventListener('input', (event) => {
    const row = (event.target as Element).closest('[data-rows] > :last-child')
    if (!row) return
    const next = row.cloneNode(true) as Element
    for (const field of next.querySelectorAll<HTMLInputElement>('[name]')) {
      field.value = ''
      field.name = field.name.replace(/\[(\d+)\]/, (_, index) => `[${Number(index) + 1}]`)
      field.ariaLabel = field.ariaLabel?.replace(/\d+$/, (index) => String(Number(index) + 1)) ?? null
    }
    row.after(next)
  })
}
