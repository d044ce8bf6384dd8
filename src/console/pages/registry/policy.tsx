import { projectsUpdate } from '../../operations.ts'
import { page } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Time } from '../../parts/parts.tsx'
import { at } from './places.ts'

/** The policy by which tags are deleted regularly. */
export const cleanupPolicy = page({
  at: 'project',
  path: 'container_registry/cleanup_policy',
  performs: [projectsUpdate],
  async show(visit) {
    const { id, container_expiration_policy: policy, container_registry_access_level: level } = visit.project
    const form = { visit, operation: projectsUpdate }
    return {
      title: 'Cleanup policy',
      crumbs: [['Container registry', at(visit)]],
      body: (
        <div class="derived">
          <p class="lead">
            {policy?.enabled ? (
              <>
                Tags are deleted regularly. The next run: <Time at={policy.next_run_at} />
              </>
            ) : (
              'Tags stay until they are deleted.'
            )}
          </p>
          {(await visit.may(projectsUpdate, { id })) && (
            <Form visit={visit} performs={projectsUpdate} call={{ id }} class="stack">
              <Field
                {...form}
                name="container_expiration_policy_attributes"
                options={{ label: 'Policy', value: policy }}
              />
              <Field {...form} name="container_registry_access_level" options={{ value: level }} />
              <button class="primary">Save</button>
            </Form>
          )}
        </div>
      ),
    }
  },
})
