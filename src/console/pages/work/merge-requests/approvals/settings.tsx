import type { AnswerOf } from '../../../../../api/index.ts'
import type { Html } from '../../../../html/index.ts'
import {
  groupApprovalSettingGet,
  groupApprovalSettingUpdate,
  projectApprovalSettingGet,
  projectApprovalSettingUpdate,
} from '../../../../operations.ts'
import { page, type Visit } from '../../../../page.ts'
import { Field, Form } from '../../../../parts/form.tsx'

type ApprovalSetting = AnswerOf<typeof projectApprovalSettingGet>

/** The keys in their order, with what they are called. */
const labels = {
  allow_author_approval: 'Authors may approve their merge requests',
  allow_committer_approval: 'Who wrote a commit may approve',
  allow_overrides_to_approver_list_per_merge_request: 'Merge requests may have rules of their own',
  retain_approvals_on_push: 'Approvals stay when the source branch is pushed to',
  require_reauthentication_to_approve: 'An approval needs the password',
} as const
const keys = Object.keys(labels) as (keyof typeof labels)[]

const levels = { instance: 'the server', group: 'the top-level group' } as const

/** What a level above has decided. */
function Locked({ settings }: { settings: ApprovalSetting }): Html {
  const locked = keys.flatMap((name) => {
    const { inherited_from: by, value } = settings[name]
    return by === null ? [] : [{ name, by, value }]
  })
  if (locked.length === 0) return <></>
  return (
    <ul>
      {locked.map(({ name, by, value }) => (
        <li>
          {labels[name]}: <strong>{value ? 'yes' : 'no'}</strong>, as {levels[by]} has decided.
        </li>
      ))}
    </ul>
  )
}

type Update = typeof projectApprovalSettingUpdate | typeof groupApprovalSettingUpdate

async function show(visit: Visit, settings: ApprovalSetting, update: Update, id: number, lead: string) {
  const open = keys.filter((name) => !settings[name].locked)
  const mayChange = open.length > 0 && (await visit.may(update, { id }))
  return {
    title: 'Approvals',
    body: (
      <div class="derived">
        <p class="lead">{lead}</p>
        <Locked settings={settings} />
        {mayChange ? (
          <Form visit={visit} performs={update} call={{ id }} class="stack">
            {open.map((name) => (
              <Field
                visit={visit}
                operation={update}
                name={name}
                options={{ label: labels[name], value: settings[name].value }}
              />
            ))}
            <button class="primary">Save</button>
          </Form>
        ) : (
          <ul>
            {open.map((name) => (
              <li>
                {labels[name]}: {settings[name].value ? 'yes' : 'no'}
              </li>
            ))}
          </ul>
        )}
      </div>
    ),
  }
}

const path = 'merge_request_approvals'
const nav = { section: 'Settings', label: 'Approvals' } as const

/** Who may approve merge requests, and what a push does to approvals: of a project and of a group. */
export const approvalSettingPages = [
  page({
    at: 'project',
    path,
    nav: { ...nav, operation: projectApprovalSettingGet },
    performs: [projectApprovalSettingUpdate],
    async show(visit) {
      const { id } = visit.project
      const settings = await visit.read(projectApprovalSettingGet, { id })
      return show(visit, settings, projectApprovalSettingUpdate, id, 'Who may approve merge requests of this project.')
    },
  }),
  page({
    at: 'group',
    path,
    nav: { ...nav, operation: groupApprovalSettingGet },
    performs: [groupApprovalSettingUpdate],
    async show(visit) {
      const { id, parent_id: parent } = visit.group
      const settings = await visit.read(groupApprovalSettingGet, { id })
      const lead =
        parent === null
          ? 'What is off here is off in all projects below.'
          : 'The top-level group decides for all projects below.'
      // The ability is that of the group; only the top-level group has settings of its own.
      return parent === null
        ? show(visit, settings, groupApprovalSettingUpdate, id, lead)
        : show({ ...visit, may: async () => false }, settings, groupApprovalSettingUpdate, id, lead)
    },
  }),
]
