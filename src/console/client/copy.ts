/** Buttons that copy their text. */
export function copyButtons(): void {
  document.addEventListener('click', async (event) => {
    const button = (event.target as Element).closest<HTMLElement>('[data-copy]')
    if (!button) return
    await navigator.clipboard?.writeText(button.dataset.copy ?? '')
    button.classList.add('copied')
    setTimeout(() => button.classList.remove('copied'), 1_200)
  })
}
