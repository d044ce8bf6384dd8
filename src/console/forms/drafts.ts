import { type Caller, isUploadedFile, notFound, type Operation } from '../../api/index.ts'
import type { Visit } from '../page.ts'
import type { Console } from '../visits.ts'

/** What a form with a Markdown text has besides its parameters (`MarkdownField`). */
type Drafted = {
  /** The button that shows the form again instead of sending it. */
  _draft?: unknown
  /** The name of the text. */
  _text?: unknown
  /** A file that the text shall refer to. */
  _file?: unknown
}

/** A form without what is only for its text; the link to a file that came with it is in the text. */
export type Draft = { isDraft: boolean; fields: Record<string, unknown> }

/**
 * Stores the file of a form as an upload of the project or group of the page, and writes its link into the text.
 * @throws ApiError 404 where the page does not declare the upload; what the upload throws
 */
export async function draftOf(
  { performer }: Pick<Console, 'performer'>,
  caller: Caller,
  { project, group }: Visit,
  performs: readonly Operation[],
  sent: Record<string, unknown>,
): Promise<Draft> {
  const { _draft: draft, _text: name, _file: file, ...fields } = sent as Drafted & Record<string, unknown>
  const isDraft = draft !== undefined
  if (!isUploadedFile(file) || typeof name !== 'string') return { isDraft, fields }
  const upload = performs.find(({ id }) => id === (project ? 'project_uploads.create' : 'group_uploads.create'))
  if (!upload) throw notFound('Form')
  const { value } = await performer.perform(upload, caller, { id: (project ?? group).id, file })
  const { markdown } = value as { markdown: string }
  const text = typeof fields[name] === 'string' ? fields[name].trimEnd() : ''
  return { isDraft, fields: { ...fields, [name]: text === '' ? markdown : `${text}\n\n${markdown}` } }
}
