import { forbidden } from '../../../../api/index.ts'
import { epicsCreate, epicsDelete, epicsList, epicsUpdate } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { Field, Form } from '../../../parts/form.tsx'
import { MarkdownField } from '../../../parts/writing/index.ts'
import { Deletion, FormButtons } from '../new-item.tsx'
import { addressIn } from '../places.ts'
import { Select } from '../side.tsx'
import { ofGroups, readEpic } from './read.ts'

/** The form for a new epic. The address may name the one above it. */
export const newEpic = page({
  at: 'group',
  path: 'epics/new',
  performs: [epicsCreate, ofGroups.upload],
  async show(visit) {
    const { id } = visit.group
    const [mayCreate, mayUpload] = await Promise.all([
      visit.may(epicsCreate, { id }),
      visit.may(ofGroups.upload, { id }),
    ])
    if (!mayCreate) throw forbidden()
    const parent = visit.query.parent_id
    return {
      title: 'New epic',
      crumbs: [['Epics', addressIn(visit, 'epics')]],
      body: (
        <Form
          visit={visit}
          performs={epicsCreate}
          call={{ id, ...(parent && { parent_id: parent }) }}
          then=":made"
          class="stack wide"
          uploads={mayUpload}
        >
          <Field visit={visit} operation={epicsCreate} name="title" />
          <MarkdownField visit={visit} operation={epicsCreate} rows={12} />
          <Field visit={visit} operation={epicsCreate} name="labels" options={{ hint: 'One in each line.' }} />
          <Field visit={visit} operation={epicsCreate} name="confidential" />
          <FormButtons uploads={mayUpload}>Create epic</FormButtons>
        </Form>
      ),
    }
  },
})

/** Changes the title and the text of an epic, moves it below another one or deletes it. */
export const editEpic = page({
  at: 'group',
  path: 'epics/:iid/edit',
  performs: [epicsUpdate, epicsDelete, ofGroups.upload],
  async show(visit) {
    const { epic, call, mayChange, mayDelete } = await readEpic(visit)
    if (!mayChange) throw forbidden()
    const [mayUpload, others] = await Promise.all([
      visit.may(ofGroups.upload, { id: call.id }),
      visit.find(epicsList, { id: call.id, per_page: 100, include_ancestor_groups: true }),
    ])
    const address = addressIn(visit, `epics/${epic.iid}`)
    const above = (others?.items ?? []).filter(({ id }) => id !== epic.id)
    return {
      title: 'Edit epic',
      crumbs: [
        ['Epics', addressIn(visit, 'epics')],
        [`&${epic.iid}`, address],
      ],
      body: (
        <div class="sections">
          <Form visit={visit} performs={epicsUpdate} call={call} then={address} class="stack wide" uploads={mayUpload}>
            <Field visit={visit} operation={epicsUpdate} name="title" options={{ value: epic.title }} />
            <MarkdownField visit={visit} operation={epicsUpdate} value={epic.description} rows={14} />
            <div class="field">
              <b>Epic above</b>
              <Select
                name="parent_id"
                label="Epic above"
                choices={above.map(({ id, title }) => [id, title])}
                chosen={epic.parent_id}
                none=""
              />
            </div>
            <FormButtons uploads={mayUpload}>Save</FormButtons>
          </Form>
          {mayDelete && (
            <Deletion
              visit={visit}
              performs={epicsDelete}
              call={call}
              then={addressIn(visit, 'epics')}
              question={`Delete ${epic.title}? Its issues stay.`}
            >
              Delete the epic
            </Deletion>
          )}
        </div>
      ),
    }
  },
})
