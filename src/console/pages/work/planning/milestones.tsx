import { notFound, type Operation } from '../../../../api/index.ts'
import type { Html } from '../../../html/index.ts'
import { type ListedIssue, type MilestoneObject, named } from '../../../operations.ts'
import { type Page, page, type Visit } from '../../../page.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Do, Field, Form } from '../../../parts/form.tsx'
import { Time } from '../../../parts/parts.tsx'
import { MarkdownField, Prose } from '../../../parts/writing/index.ts'
import { FormButtons } from '../new-item.tsx'
import { addressIn } from '../places.ts'
import { Progress, readAll } from './progress.tsx'

type Owner = 'project' | 'group'

const operationsAt = (at: Owner) => ({
  list: named(`${at}_milestones.list`),
  issues: named(`${at}_milestone_issues.list`),
  update: named(`${at}_milestones.update`),
  delete: named(`${at}_milestones.delete`),
})

/** The milestone of a page. Addresses have its number, calls its id. @throws ApiError 404 */
async function readMilestone(visit: Visit, at: Owner): Promise<MilestoneObject> {
  const { list } = operationsAt(at)
  const call = { id: visit[at].id, iids: visit.params.milestone }
  const { items } = (await visit.read(list, call)) as { items: MilestoneObject[] }
  if (!items[0]) throw notFound('Milestone')
  return items[0]
}

type OneProps = { visit: Visit; milestone: MilestoneObject; call: { id: number; milestone_id: number } }

function Edit({ visit, milestone, call, update }: OneProps & { update: Operation }): Html {
  return (
    <Form visit={visit} performs={update} call={call} then={visit.path.split('?', 1)[0] ?? ''} class="stack wide">
      <Field visit={visit} operation={update} name="title" options={{ value: milestone.title }} />
      <MarkdownField visit={visit} operation={update} value={milestone.description} />
      {(['start_date', 'due_date'] as const).map((name) => (
        <Field visit={visit} operation={update} name={name} options={{ value: milestone[name], hint: ' ' }} />
      ))}
      <FormButtons>Save</FormButtons>
    </Form>
  )
}

function Actions({ visit, milestone, call, at }: OneProps & { at: Owner }): Html {
  const { update, delete: remove } = operationsAt(at)
  const change = milestone.state === 'active' ? 'close' : 'activate'
  const address = addressIn(visit, `milestones/${milestone.iid}`)
  return (
    <>
      <a class="button" href={`${address}?edit=1`}>
        Edit
      </a>
      <Do visit={visit} performs={update} form="state" call={{ ...call, state_event: change }}>
        {change === 'close' ? 'Close' : 'Open again'}
      </Do>
      <Confirm label="Delete" question={`Delete ${milestone.title}? Its issues stay.`}>
        <Do visit={visit} performs={remove} call={call} then={addressIn(visit, 'milestones')} kind="danger">
          Delete the milestone
        </Do>
      </Confirm>
    </>
  )
}

function Facts({ milestone }: { milestone: MilestoneObject }): Html {
  const { state, start_date: first, due_date: last, expired } = milestone
  return (
    <p class="soft">
      {state === 'active' ? 'Open' : 'Closed'}
      {(first || last) && (
        <>
          {' · '}
          <Time at={first} /> – <Time at={last} />
        </>
      )}
      {expired && state === 'active' && ' · past due'}
    </p>
  )
}

const milestoneAt = (at: Owner): Page =>
  page({
    at,
    path: 'milestones/:milestone',
    performs: [operationsAt(at).update, operationsAt(at).delete],
    async show(visit) {
      const { issues, update } = operationsAt(at)
      const milestone = await readMilestone(visit, at)
      const call = { id: visit[at].id, milestone_id: milestone.id }
      const [found, mayChange] = await Promise.all([
        readAll(async (number) => {
          const listed = await visit.read(issues, { ...call, page: number, per_page: 100 })
          return listed as { items: ListedIssue[] }
        }),
        visit.may(update, call),
      ])
      const { refused } = visit
      const isEdited = mayChange && (visit.query.edit !== undefined || (refused !== null && refused.form === undefined))
      return {
        title: milestone.title,
        crumbs: [['Milestones', addressIn(visit, 'milestones')]],
        actions: mayChange && <Actions visit={visit} milestone={milestone} call={call} at={at} />,
        body: isEdited ? (
          <Edit visit={visit} milestone={milestone} call={call} update={update} />
        ) : (
          <div class="sections">
            <Facts milestone={milestone} />
            {milestone.description && <Prose visit={visit} text={milestone.description} lead />}
            <Progress
              visit={visit}
              issues={found}
              first={milestone.start_date}
              last={milestone.due_date}
              isOfProject={at === 'project'}
            />
          </div>
        ),
      }
    },
  })

/** A milestone of a project or a group with its progress. */
export const milestones: readonly Page[] = [milestoneAt('project'), milestoneAt('group')]
