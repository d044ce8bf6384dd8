import { failure, type Operation } from '../../../../api/index.ts'
import { branchesGet, filesCreate, filesDelete, filesUpdate, filesUpload } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { TextField } from '../../../parts/fields/text-field.tsx'
import { Field, Form } from '../../../parts/form.tsx'
import { at, atPath, nameOf, type Place, placeOf, stepsTo, stepsToFile } from '../places.ts'
import { contentsOf } from './contents.ts'

const branchHint = (ref: string) => `Another name makes a new branch of ${ref}.`

/** What every change of a file has: the message of its commit, and the branch that gets it. */
function CommitFields({
  visit,
  operation,
  ref,
  message,
}: {
  visit: Visit
  operation: Operation
  ref: string
  message: string
}) {
  return (
    <>
      <Field
        visit={visit}
        operation={operation}
        name="commit_message"
        options={{ label: 'Message of the commit', rows: 2, value: message, hint: '' }}
      />
      <Field
        visit={visit}
        operation={operation}
        name="branch"
        options={{ label: 'Branch', value: ref, hint: branchHint(ref) }}
      />
    </>
  )
}

/** The file that a form changes. After a refusal it stays the version that the user has seen. */
function seenVersion(visit: Visit, lastCommitId: string): string {
  const seen = visit.refused?.values.last_commit_id
  return typeof seen === 'string' ? seen : lastCommitId
}

/** @throws ApiError 400 for a commit: changes are made on branches */
async function branchPlace(visit: Visit): Promise<Place> {
  const place = await placeOf(visit, visit.params.where)
  if (await visit.find(branchesGet, { id: visit.project.id, branch: place.ref })) return place
  throw failure(400, 'Files are changed on a branch.')
}

/** Changes a file in place. */
export const edit = page({
  at: 'project',
  path: 'edit/*where',
  under: 'tree',
  performs: [filesUpdate],
  async show(visit) {
    const place = await branchPlace(visit)
    const { ref, path } = place
    const { text, isEditable, lastCommitId } = await contentsOf(visit, place)
    if (text === null || !isEditable)
      throw failure(400, 'This file cannot be changed here: it is no text of up to 1 MiB.')
    const _lines = text.includes('\r\n') ? 'crlf' : 'lf'
    const last_commit_id = seenVersion(visit, lastCommitId)
    const call = { id: visit.project.id, file_path: path, start_branch: ref, last_commit_id, _lines }
    const form = { visit, operation: filesUpdate }
    return {
      title: `Edit ${nameOf(path)}`,
      crumbs: stepsToFile(visit, place),
      body: (
        <div>
          {last_commit_id !== lastCommitId && (
            <p class="note-line">
              The file has changed meanwhile: <a href={atPath(visit, 'blob', ref, path)}>its present version</a>.
            </p>
          )}
          <Form
            visit={visit}
            performs={filesUpdate}
            call={call}
            then={at(visit, 'blob/{branch}/{file_path}')}
            class="stack wide"
          >
            <TextField {...form} name="content" label="Content" value={text} />
            <CommitFields {...form} ref={ref} message={`Update ${nameOf(path)}`} />
            <button class="primary">Commit the change</button>
          </Form>
        </div>
      ),
    }
  },
})

/** The branch and folder for a new file. The first file of a project makes its branch. */
async function newPlace(visit: Visit): Promise<Pick<Place, 'ref' | 'path'>> {
  const { where = '' } = visit.params
  return visit.project.default_branch && !visit.project.empty_repo ? branchPlace(visit) : { ref: where, path: '' }
}

/** Writes or uploads a new file. */
export const create = page({
  at: 'project',
  path: 'new/*where',
  under: 'tree',
  performs: [filesCreate, filesUpload],
  async show(visit) {
    const place = await newPlace(visit)
    const { ref, path } = place
    const { id } = visit.project
    const folder = path === '' ? '' : `${path}/`
    const form = { visit, operation: filesCreate }
    const uploading = { visit, operation: filesUpload }
    return {
      title: 'New file',
      crumbs: visit.project.empty_repo ? [] : stepsTo(visit, place),
      body: (
        <div>
          <Form
            visit={visit}
            performs={filesCreate}
            call={{ id, start_branch: ref }}
            then={at(visit, 'blob/{branch}/{file_path}')}
            class="stack wide"
          >
            <Field {...form} name="file_path" options={{ label: 'Path', value: folder, hint: 'Folders are made.' }} />
            <TextField {...form} name="content" label="Content" rows={18} />
            <CommitFields {...form} ref={ref} message="Add a file" />
            <button class="primary">Commit the file</button>
          </Form>
          <details class="new" open={visit.refused?.operation === filesUpload.id}>
            <summary>Upload a file instead</summary>
            <Form
              visit={visit}
              performs={filesUpload}
              call={{ id, start_branch: ref }}
              then={at(visit, 'blob/{branch}/{file_path}')}
              class="stack"
              uploads
            >
              <Field {...uploading} name="file" options={{ label: 'File', hint: 'At most 10 MiB.' }} />
              <Field {...uploading} name="directory" options={{ label: 'Folder', value: path }} />
              <CommitFields {...uploading} ref={ref} message="Upload a file" />
              <button class="primary">Commit the file</button>
            </Form>
          </details>
        </div>
      ),
    }
  },
})

/** Deletes a file. */
export const remove = page({
  at: 'project',
  path: 'delete/*where',
  under: 'tree',
  performs: [filesDelete],
  async show(visit) {
    const place = await branchPlace(visit)
    const { ref, path } = place
    const { lastCommitId } = await contentsOf(visit, place)
    const last_commit_id = seenVersion(visit, lastCommitId)
    const call = { id: visit.project.id, file_path: path, start_branch: ref, last_commit_id }
    return {
      title: `Delete ${nameOf(path)}`,
      crumbs: stepsToFile(visit, place),
      body: (
        <Form visit={visit} performs={filesDelete} call={call} then={at(visit, 'tree/{branch}')} class="stack">
          <CommitFields visit={visit} operation={filesDelete} ref={ref} message={`Delete ${nameOf(path)}`} />
          <p class="actions">
            <button class="danger">Delete the file</button>
            <a href={atPath(visit, 'blob', ref, path)}>Back to the file</a>
          </p>
        </Form>
      ),
    }
  },
})
