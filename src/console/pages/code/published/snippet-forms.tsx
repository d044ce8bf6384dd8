import type { Operation } from '../../../../api/index.ts'
import type { SnippetObject } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Field, Form } from '../../../parts/form.tsx'
import { type SnippetFile, type SnippetPlace, snippetCall, snippetsAt, snippetsBase } from './snippet-places.ts'

type Written = { file_path?: string; content?: string }

/** The files that a refused form had. */
function writtenFiles(visit: Visit, operation: Operation): readonly Written[] | null {
  const files = visit.refused?.operation === operation.id ? visit.refused.values.files : null
  return Array.isArray(files) ? files : null
}

/** The name and the text of a file, as an element of the parameter `files`. */
function FileFields({ index, file, isNew }: { index: number; file: Written; isNew: boolean }) {
  const id = `file-${index}`
  return (
    <fieldset class="file-fields">
      <legend class="hidden">File {index + 1}</legend>
      {!isNew && <input type="hidden" name="files[][action]" value="update" />}
      <label for={`${id}-name`}>File name</label>
      <input
        id={`${id}-name`}
        name="files[][file_path]"
        value={file.file_path ?? ''}
        readonly={!isNew}
        required
        spellcheck="false"
      />
      <label for={`${id}-content`}>Content</label>
      <textarea id={`${id}-content`} class="text" name="files[][content]" rows={14} spellcheck="false" required>
        {'\n'}
        {file.content ?? ''}
      </textarea>
    </fieldset>
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

/** A form for a snippet of one file. */
export function NewSnippet({ visit, place }: { visit: Visit; place: SnippetPlace }) {
  const { create } = snippetsAt(place)
  const call: Record<string, number> = place === 'project' ? { id: visit.project.id } : {}
  const [file = {}] = writtenFiles(visit, create) ?? []
  return (
    <Form visit={visit} performs={create} call={call} then={`${snippetsBase(visit, place)}/{id}`} class="stack wide">
      <Facts visit={visit} operation={create} />
      <FileFields index={0} file={file} isNew />
      <button class="primary">Create the snippet</button>
    </Form>
  )
}

type SnippetFormProps = { visit: Visit; place: SnippetPlace; snippet: SnippetObject; files: readonly SnippetFile[] }

/** A form that changes a snippet and its files. Files that a page does not show whole stay as they are. */
export function SnippetForm({ visit, place, snippet, files }: SnippetFormProps) {
  const { update } = snippetsAt(place)
  const written = writtenFiles(visit, update)
  const shown = files.filter(({ isCut }) => !isCut)
  return (
    <Form
      visit={visit}
      performs={update}
      call={snippetCall(visit, place)}
      then={`${snippetsBase(visit, place)}/${snippet.id}`}
      class="stack wide"
    >
      <Facts visit={visit} operation={update} snippet={snippet} />
      {shown.map(({ path, text }, index) => (
        <FileFields
          index={index}
          file={{ file_path: path, content: written?.[index]?.content ?? text }}
          isNew={false}
        />
      ))}
      <button class="primary">Save the snippet</button>
    </Form>
  )
}
