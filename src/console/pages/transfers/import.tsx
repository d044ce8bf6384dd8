import type { AnswerOf } from '../../../api/index.ts'
import type { Html } from '../../html/index.ts'
import { projectImport, projectImportGet } from '../../operations.ts'
import { page } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Refusal } from '../../parts/refusal.tsx'

type State = AnswerOf<typeof projectImportGet>

const words: Readonly<Record<string, string>> = {
  none: 'Nothing was imported into this project.',
  scheduled: 'The import is going to begin.',
  started: 'The import is under way.',
  finished: 'The import is finished.',
  failed: 'The import has failed. The project can be looked at, and deleted.',
}

/** What could not be imported, with the reason. */
function Failures({ state }: { state: State }): Html {
  if (state.failed_relations.length === 0) return <></>
  return (
    <>
      <h2>What could not be imported</h2>
      <ul class="rows">
        {state.failed_relations.map(({ relation_name: relation, line_number: line, exception_message: reason }) => (
          <li>
            <div class="grow">
              <b>
                {relation}, line {line}
              </b>
              <p class="sub">{reason}</p>
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The state of the import of a project, which is shown until it ends. */
export const importProgress = page({
  at: 'project',
  path: 'import',
  under: '',
  async show(visit) {
    const state = await visit.read(projectImportGet, { id: visit.project.id })
    return {
      title: 'Import',
      refreshes: state.import_status === 'scheduled' || state.import_status === 'started',
      body: (
        <div class="derived" data-live="import">
          <p>{words[state.import_status]}</p>
          {state.import_error && <p class="problem">{state.import_error}</p>}
          <Failures state={state} />
          {state.import_status === 'finished' && (
            <p>
              <a class="button primary" href={`/${visit.project.path_with_namespace}`}>
                To the project
              </a>
            </p>
          )}
        </div>
      ),
    }
  },
})

/** Makes a project of an archive. */
export const newImport = page({
  at: 'instance',
  path: 'projects/import',
  performs: [projectImport],
  async show(visit) {
    const field = { visit, operation: projectImport }
    return {
      title: 'Import a project',
      crumbs: [['New project', '/projects/new']],
      body: (
        <div class="derived">
          <Refusal visit={visit} except={projectImport} />
          <p class="lead">A project is made of the archive of another one, of this server or of another.</p>
          <Form visit={visit} performs={projectImport} then="/{path_with_namespace}/-/import" class="stack" uploads>
            <Field {...field} name="file" options={{ label: 'Archive', hint: 'A file that ends in .gz.' }} />
            <Field
              {...field}
              name="namespace"
              options={{ label: 'Group or user', hint: 'Its path; empty for your own.' }}
            />
            <Field {...field} name="path" options={{ label: 'Path' }} />
            <Field {...field} name="name" options={{ label: 'Name', hint: 'Empty: the path.' }} />
            <button class="primary">Import</button>
          </Form>
        </div>
      ),
    }
  },
})
