/** The field of a form with its Markdown buttons (`MarkdownField`, `MarkdownTools`). */
const textOf = (form: HTMLFormElement) => form.querySelector<HTMLTextAreaElement>('.written textarea')

/** Sends a form as one of its draft buttons does. @returns the form as the page shows it again */
async function draft(form: HTMLFormElement, kind: 'preview' | 'attach', file?: File): Promise<HTMLFormElement | null> {
  const fields = new FormData(form)
  fields.set('_draft', kind)
  if (file) fields.set('_file', file)
  const answer = await fetch(form.action, { method: 'POST', body: fields, headers: { Accept: 'text/html' } })
  const shown = new DOMParser().parseFromString(await answer.text(), 'text/html')
  const name = textOf(form)?.id ?? ''
  return shown.getElementById(name)?.closest('form') ?? null
}

/** Uploads a file, and writes its link into the text where the cursor is. */
async function attach(form: HTMLFormElement, file: File): Promise<void> {
  const text = textOf(form)
  if (!text) return
  const before = text.value
  const cursor = text.selectionStart
  const shown = await draft(form, 'attach', file)
  const problem = shown?.querySelector('.problem')?.textContent
  const link = shown && (textOf(shown)?.value ?? '').slice(before.trimEnd().length).trim()
  const written = problem ? `(${file.name}: ${problem})` : (link ?? `(${file.name} was not uploaded)`)
  const start = Math.min(cursor, text.value.length)
  text.setRangeText(`${start > 0 && text.value[start - 1] !== '\n' ? '\n' : ''}${written}\n`, start, start, 'end')
}

async function attachAll(form: HTMLFormElement, files: Iterable<File>): Promise<void> {
  for (const file of files) await attach(form, file)
}

const takesFiles = (target: EventTarget | null): HTMLFormElement | null => {
  const form = target instanceof HTMLTextAreaElement ? target.form : null
  return form?.querySelector('[name=_file]') ? form : null
}

/** Files that are dropped on a text or pasted into it are uploaded, and a preview is shown without leaving the page. */
export function writing(): void {
  document.addEventListener('dragover', (event) => {
    if (takesFiles(event.target)) event.preventDefault()
  })
  document.addEventListener('drop', (event) => {
    const form = takesFiles(event.target)
    const files = [...(event.dataTransfer?.files ?? [])]
    if (!form || files.length === 0) return
    event.preventDefault()
    void attachAll(form, files)
  })
  document.addEventListener('paste', (event) => {
    const form = takesFiles(event.target)
    const files = [...(event.clipboardData?.files ?? [])]
    if (!form || files.length === 0) return
    event.preventDefault()
    void attachAll(form, files)
  })
  document.addEventListener('change', (event) => {
    const input = event.target as HTMLInputElement
    if (input.name !== '_file' || !input.form || !input.files) return
    const files = [...input.files]
    input.value = ''
    void attachAll(input.form, files)
  })
  document.addEventListener('click', async (event) => {
    const button = (event.target as Element).closest<HTMLButtonElement>('button[name=_draft][value=preview]')
    const { form } = button ?? {}
    if (!form) return
    event.preventDefault()
    const shown = (await draft(form, 'preview'))?.querySelector('.preview')
    form.querySelector('.preview')?.remove()
    if (shown) textOf(form)?.after(document.importNode(shown, true))
  })
}
