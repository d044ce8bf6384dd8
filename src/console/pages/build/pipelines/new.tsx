import { notFound } from '../../../../api/index.ts'
import { branchesList, pipelinesCreate } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { Field, Form } from '../../../parts/form.tsx'
import { at } from '../../code/places.ts'
import { VariableRows } from '../variable-rows.tsx'

/** The form for a new pipeline: a branch or tag, and variables. */
export const newPipeline = page({
  at: 'project',
  path: 'pipelines/new',
  performs: [pipelinesCreate],
  async show(visit) {
    const { id, default_branch: branch } = visit.project
    if (!(await visit.may(pipelinesCreate, { id }))) throw notFound('Page')
    const branches = await visit.find(branchesList, { id, per_page: 12 })
    const form = { visit, operation: pipelinesCreate }
    return {
      title: 'Run a pipeline',
      crumbs: [['Pipelines', at(visit, 'pipelines')]],
      body: (
        <Form visit={visit} performs={pipelinesCreate} call={{ id }} then=":made" class="stack wide">
          <Field
            {...form}
            name="ref"
            options={{ label: 'Branch or tag', hint: '', value: visit.query.ref ?? branch }}
          />
          {branches && branches.items.length > 1 && (
            <p class="soft refs-of">
              {branches.items.map(({ name }) => (
                <a class="label" href={`${at(visit, 'pipelines/new')}?ref=${encodeURIComponent(name)}`}>
                  {name}
                </a>
              ))}
            </p>
          )}
          <VariableRows {...form} name="variables" hasTypes />
          <button class="primary">Run the pipeline</button>
        </Form>
      ),
    }
  },
})
