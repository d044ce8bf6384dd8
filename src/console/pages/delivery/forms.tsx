import {
  environmentsCreate,
  environmentsDeleteReviewApps,
  environmentsGet,
  environmentsStopStale,
  environmentsUpdate,
} from '../../operations.ts'
import { numberIn, page } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { at, crumb } from './parts.tsx'

const fields = ['external_url', 'tier', 'description', 'auto_stop_setting'] as const

/** The form for a new environment. */
export const newEnvironment = page({
  at: 'project',
  path: 'environments/new',
  performs: [environmentsCreate],
  async show(visit) {
    return {
      title: 'New environment',
      crumbs: [crumb(visit)],
      body: (
        <Form
          visit={visit}
          performs={environmentsCreate}
          call={{ id: visit.project.id }}
          then={at(visit, '/{id}')}
          class="stack"
        >
          {(['name', ...fields] as const).map((name) => (
            <Field visit={visit} operation={environmentsCreate} name={name} />
          ))}
          <button class="primary">Create the environment</button>
        </Form>
      ),
    }
  },
})

/** The form that changes an environment. */
export const changeEnvironment = page({
  at: 'project',
  path: 'environments/:environment/edit',
  performs: [environmentsUpdate],
  async show(visit) {
    const call = { id: visit.project.id, environment_id: numberIn(visit, 'environment') }
    const one = await visit.read(environmentsGet, call)
    const address = at(visit, `/${one.id}`)
    return {
      title: 'Edit',
      crumbs: [crumb(visit), [one.name, address]],
      body: (
        <Form visit={visit} performs={environmentsUpdate} call={call} then={address} class="stack">
          {fields.map((name) => (
            <Field visit={visit} operation={environmentsUpdate} name={name} options={{ value: one[name] }} />
          ))}
          <button class="primary">Save</button>
        </Form>
      ),
    }
  },
})

/** Environments that are not used any more are stopped, and old review apps deleted. */
export const oldEnvironments = page({
  at: 'project',
  path: 'environments/old',
  performs: [environmentsStopStale, environmentsDeleteReviewApps],
  async show(visit) {
    const call = { id: visit.project.id }
    return {
      title: 'Clean up environments',
      crumbs: [crumb(visit)],
      body: (
        <div class="derived">
          <h2>Stop what is not used</h2>
          <p>Environments that were neither changed nor deployed to since a time are stopped in the background.</p>
          <Form visit={visit} performs={environmentsStopStale} call={call} then={at(visit)} class="stack">
            <Field
              visit={visit}
              operation={environmentsStopStale}
              name="before"
              options={{ label: 'Not used since' }}
            />
            <button class="danger">Stop them</button>
          </Form>
          <h2>Delete old review apps</h2>
          <p>
            Stopped environments whose name begins with <code>review/</code> are deleted after seven days, unless
            something is deployed to them again.
          </p>
          <Form
            visit={visit}
            performs={environmentsDeleteReviewApps}
            call={{ ...call, dry_run: false }}
            then={at(visit, '?state=stopped')}
            class="stack"
          >
            <Field
              visit={visit}
              operation={environmentsDeleteReviewApps}
              name="before"
              options={{ label: 'Created before' }}
            />
            <button class="danger">Delete them in seven days</button>
          </Form>
        </div>
      ),
    }
  },
})
