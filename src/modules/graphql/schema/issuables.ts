import { issueById, projectIssuesList } from '../../issues/index.ts'
import { mergeRequestById, projectMergeRequestsList } from '../../merge-requests/index.ts'
import type { PresentedMilestone } from '../../milestones/index.ts'
import type { Arguments, Listing, Reading, Selects } from '../reading/types.ts'
import { Refusal } from '../refusal.ts'
import { connection, field, type ObjectType } from './declare.ts'
import { numberIn, startOf, typedId } from './ids.ts'
import type { UserSource } from './users.ts'

type LabelSource = { id: number; name: string; description: string | null; color: string; text_color: string }

/** What issues and merge requests have in common in the lists of the API. */
type IssuableSource = {
  id: number
  iid: number
  title: string
  description: string | null
  state: string
  web_url: string
  author: UserSource | null
  assignees: UserSource[]
  labels: LabelSource[]
  milestone: PresentedMilestone | null
  created_at: string
  updated_at: string
  closed_at: string | null
}
type IssueSource = IssuableSource & { confidential: boolean }
type PipelineSource = { id: number; iid: number; status: string; ref: string; sha: string; created_at: string }
type MergeRequestSource = IssuableSource & {
  source_branch: string
  target_branch: string
  draft: boolean
  merged_at: string | null
  sha: string
  reviewers: UserSource[]
  head_pipeline?: PipelineSource | null
}

/** @param type of the id */
const issuableFields = (type: string): ObjectType['fields'] => ({
  id: field<IssuableSource>('ID!', ({ id }) => typedId(type, id)),
  iid: field<IssuableSource>('ID!', ({ iid }) => iid),
  title: field<IssuableSource>('String!', ({ title }) => title),
  description: field<IssuableSource>('String', ({ description }) => description),
  state: field<IssuableSource>(`${type}State!`, ({ state }) => state),
  webUrl: field<IssuableSource>('String!', ({ web_url }) => web_url),
  author: field<IssuableSource>('UserCore', ({ author }) => author),
  assignees: connection<IssuableSource>('UserCore', ({ assignees }) => ({ items: assignees })),
  labels: connection<IssuableSource>('Label', ({ labels }) => ({ items: labels })),
  milestone: field<IssuableSource>('Milestone', ({ milestone }) => milestone),
  createdAt: field<IssuableSource>('Time!', ({ created_at }) => created_at),
  updatedAt: field<IssuableSource>('Time!', ({ updated_at }) => updated_at),
  closedAt: field<IssuableSource>('Time', ({ closed_at }) => closed_at),
})

type Place = { id: number }

const details = { with_labels_details: true } as const

/** The issues of a project. */
export const issuesOf = ({ id }: Place, { state, labelName, search }: Arguments) => ({
  operation: projectIssuesList,
  call: { id, ...details, state, search, ...(labelName?.length && { labels: labelName }) },
})

/** The merge requests of a project. */
const requestsOf = ({ id }: Place, filter: object, selects: Selects) => ({
  operation: projectMergeRequestsList,
  call: { id, ...details, with_review_details: selects.below('headPipeline'), ...filter },
})

/** The operation takes one branch of each kind: of several, each pair is a list of its own. */
const mostPairs = 10

/** The merge requests of a project. @throws Refusal for too many branches */
export async function mergeRequestsOf(
  project: Place,
  { state, sourceBranches, targetBranches }: Arguments,
  reading: Reading,
  selects: Selects,
): Promise<Listing> {
  const [sources, targets] = [sourceBranches, targetBranches].map((names) => (names?.length ? names : [undefined]))
  const pairs = sources.flatMap((source_branch: string) =>
    targets.map((target_branch: string) => ({ state, source_branch, target_branch })),
  )
  if (pairs.length > mostPairs) throw new Refusal(`More than ${mostPairs} pairs of branches`)
  const lists = pairs.map((filter: object) => requestsOf(project, filter, selects))
  if (lists.length === 1) return lists[0]
  const pages = await Promise.all(
    lists.map(({ operation, call }: ReturnType<typeof requestsOf>) =>
      reading.read(operation, { ...call, per_page: 100 }),
    ),
  )
  const items = pages.flatMap((page) => page.items as MergeRequestSource[])
  return { items: items.toSorted((left, right) => right.id - left.id) }
}

async function firstOf(
  reading: Reading,
  { operation, call }: ReturnType<typeof issuesOf | typeof requestsOf>,
  iid: number,
) {
  const found = (await reading.find(operation, { ...call, iids: [iid] })) as { items: unknown[] } | null
  return found?.items[0] ?? null
}

/** A number that no object has, of what is no number. */
const numberOf = (iid: unknown) => (/^\d{1,15}$/.test(String(iid)) ? Number(iid) : 0)

/** An issue of a project by its number. */
export const issueIn = (project: Place, { iid }: Arguments, reading: Reading) =>
  firstOf(reading, issuesOf(project, {}), numberOf(iid))

/** A merge request of a project by its number. */
export const mergeRequestIn = (project: Place, { iid }: Arguments, reading: Reading, selects: Selects) =>
  firstOf(reading, requestsOf(project, {}, selects), numberOf(iid))

/** An issue by its id, as the list of its project shows it. */
export async function issueNamed({ id }: Arguments, reading: Reading) {
  const number = numberIn('Issue', id)
  const row = await reading.inTurn(() => issueById(reading.platform.database.read, number))
  return row && issueIn({ id: row.project_id }, row, reading)
}

/** A merge request by its id, as the list of its project shows it. */
export async function mergeRequestNamed({ id }: Arguments, reading: Reading, selects: Selects) {
  const number = numberIn('MergeRequest', id)
  const row = await reading.inTurn(() => mergeRequestById(reading.platform.database.read, number))
  return row && mergeRequestIn({ id: row.project_id }, row, reading, selects)
}

/** Issues, merge requests, and what they refer to (contract 25, "GraphQL"). */
export const issuableTypes: readonly ObjectType[] = [
  {
    name: 'Issue',
    description: 'An issue.',
    fields: {
      ...issuableFields('Issue'),
      confidential: field<IssueSource>('Boolean!', ({ confidential }) => confidential),
    },
  },
  {
    name: 'MergeRequest',
    description: 'A merge request.',
    fields: {
      ...issuableFields('MergeRequest'),
      sourceBranch: field<MergeRequestSource>('String!', ({ source_branch }) => source_branch),
      targetBranch: field<MergeRequestSource>('String!', ({ target_branch }) => target_branch),
      draft: field<MergeRequestSource>('Boolean!', ({ draft }) => draft),
      mergedAt: field<MergeRequestSource>('Time', ({ merged_at }) => merged_at),
      diffHeadSha: field<MergeRequestSource>('String', ({ sha }) => sha),
      reviewers: connection<MergeRequestSource>('UserCore', ({ reviewers }) => ({ items: reviewers })),
      headPipeline: field<MergeRequestSource>('Pipeline', ({ head_pipeline }) => head_pipeline ?? null),
    },
  },
  {
    name: 'Label',
    description: 'A label of a project or group.',
    fields: {
      id: field<LabelSource>('ID!', ({ id }) => typedId('Label', id)),
      title: field<LabelSource>('String!', ({ name }) => name),
      description: field<LabelSource>('String', ({ description }) => description),
      color: field<LabelSource>('String!', ({ color }) => color),
      textColor: field<LabelSource>('String!', ({ text_color }) => text_color),
    },
  },
  {
    name: 'Milestone',
    description: 'A milestone of a project or group.',
    fields: {
      id: field<PresentedMilestone>('ID!', ({ id }) => typedId('Milestone', id)),
      iid: field<PresentedMilestone>('ID!', ({ iid }) => iid),
      title: field<PresentedMilestone>('String!', ({ title }) => title),
      description: field<PresentedMilestone>('String', ({ description }) => description),
      state: field<PresentedMilestone>('MilestoneState!', ({ state }) => state),
      webUrl: field<PresentedMilestone>('String!', ({ web_url }) => web_url),
      startDate: field<PresentedMilestone>('Time', ({ start_date }) => startOf(start_date)),
      dueDate: field<PresentedMilestone>('Time', ({ due_date }) => startOf(due_date)),
      createdAt: field<PresentedMilestone>('Time!', ({ created_at }) => created_at),
      updatedAt: field<PresentedMilestone>('Time!', ({ updated_at }) => updated_at),
    },
  },
  {
    name: 'Pipeline',
    description: 'A pipeline.',
    fields: {
      id: field<PipelineSource>('ID!', ({ id }) => typedId('Ci::Pipeline', id)),
      iid: field<PipelineSource>('String!', ({ iid }) => iid),
      status: field<PipelineSource>('PipelineStatusEnum!', ({ status }) => status.toUpperCase()),
      ref: field<PipelineSource>('String', ({ ref }) => ref),
      sha: field<PipelineSource>('String', ({ sha }) => sha),
      createdAt: field<PipelineSource>('Time!', ({ created_at }) => created_at),
    },
  },
]
