import type { Operation } from '../../../../api/index.ts'
import type { SnippetObject } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Field, Form } from '../../../parts/form.tsx'
import { type SnippetFile, type SnippetPlace, snippetCall, snippetsAt, snippetsBase } from './snippet-places.ts'

type Written = { file_path?: string; content?: string; action?: string }

/** A snippet has so many files at most. */
const mostFiles = 10

/** The files that a form had which is shown again, with an empty one where that was asked for; null at first. */
function writtenFiles({ refused }: Visit, operation: Operation): readonly Written[] | null {
  if (refused?.operation !== operation.id) return null
  const files: Written[] = Object.values(refused.values.files ?? {})
  return refused.isDraft && files.length < mostFiles ? [...files, {}] : files
}

/** The name and the text of a file, as an element of the parameter `files`. Files after the first may be left empty. */
function FileFields({ index, file, action }: { index: number; file: Written; action?: 'create' | 'update' }) {
  const id = `file-${index}`
  const name = `files[${index}]`
  const isThere = action === 'update'
  const isRequired = isThere || index === 0
  return (
    <fieldset class="file-fields">
      <legend>File {index + 1}</legend>
      {action && <input type="hidden" name={`${name}[action]`} value={action} />}
      <label for={`${id}-name`}>File name</label>
      <input
        id={`${id}-name`}
        name={`${name}[file_path]`}
        value={file.file_path ?? ''}
        readonly={isThere}
        required={isRequired}
        spellcheck="false"
      />
      <label for={`${id}-content`}>Content</label>
      <textarea
        id={`${id}-content`}
        class="text"
        name={`${name}[content]`}
        rows={14}
        spellcheck="false"
        required={isRequired}
      >
        {'\n'}
        {file.content ?? ''}
      </textarea>
      {isThere && (
        <label class="check-label">
          <input
            type="checkbox"
            name={`${name}[action]`}
            value="delete"
            checked={[file.action].flat().includes('delete')}
          />
          Delete this file
        </label>
      )}
    </fieldset>
  )
}

/** The button that sends the form, and one that shows it again with another file. */
function Buttons({ label, files }: { label: string; files: number }) {
  return (
    <p class="actions">
      <button class="primary">{label}</button>
      {files < mostFiles && (
        <button name="_draft" value="file" formnovalidate>
          Add another file
        </button>
      )}
    </p>
  )
}

function Facts({ visit, operation, snippet }: { visit: Visit; operation: Operation; snippet?: SnippetObject }) {
  const form = { visit, operation }
  return (
    <>
      <Field {...form} name="title" options={{ value: snippet?.title, hint: '' }} />
      <Field {...form} name="description" options={{ value: snippet?.description, hint: 'Markdown.' }} />
      <Field {...form} name="visibility" options={{ value: snippet?.visibility ?? 'private', hint: '' }} />
    </>
  )
}

/** A form for a snippet. */
export function NewSnippet({ visit, place }: { visit: Visit; place: SnippetPlace }) {
  const { create } = snippetsAt(place)
  const call: Record<string, number> = place === 'project' ? { id: visit.project.id } : {}
  const files = writtenFiles(visit, create) ?? [{}]
  return (
    <Form visit={visit} performs={create} call={call} then={`${snippetsBase(visit, place)}/{id}`} class="stack wide">
      <Facts visit={visit} operation={create} />
      {files.map((file, index) => (
        <FileFields index={index} file={file} />
      ))}
      <Buttons label="Create the snippet" files={files.length} />
    </Form>
  )
}

type SnippetFormProps = { visit: Visit; place: SnippetPlace; snippet: SnippetObject; files: readonly SnippetFile[] }

/** A form that changes a snippet and its files. Files that a page does not show whole stay as they are. */
export function SnippetForm({ visit, place, snippet, files }: SnippetFormProps) {
  const { update } = snippetsAt(place)
  const shown = files.filter(({ isCut }) => !isCut).map(({ path, text }) => ({ file_path: path, content: text }))
  const written = writtenFiles(visit, update) ?? shown
  const present = new Set(shown.map(({ file_path }) => file_path))
  const isNew = ({ action, file_path = '' }: Written) => action === 'create' || !present.has(file_path)
  return (
    <Form
      visit={visit}
      performs={update}
      call={snippetCall(visit, place)}
      then={`${snippetsBase(visit, place)}/${snippet.id}`}
      class="stack wide"
    >
      <Facts visit={visit} operation={update} snippet={snippet} />
      {written.map((file, index) => (
        <FileFields index={index} file={file} action={isNew(file) ? 'create' : 'update'} />
      ))}
      <Buttons label="Save the snippet" files={written.length + files.length - shown.length} />
    </Form>
  )
}
