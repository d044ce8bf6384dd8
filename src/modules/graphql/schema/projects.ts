import type { AnswerOf } from '../../../api/index.ts'
import { branchesCreate } from '../../branches/index.ts'
import { groupsGet } from '../../groups/index.ts'
import { pipelinesList } from '../../pipelines/index.ts'
import { type projectsGet, projectsUpdate } from '../../projects/index.ts'
import { byPosition } from '../reading/lists.ts'
import { named } from '../reading/operations.ts'
import { connection, field, type ObjectType } from './declare.ts'
import { typedId } from './ids.ts'
import { issueIn, issuesOf, mergeRequestIn, mergeRequestsOf } from './issuables.ts'
import { membersOf } from './members.ts'

export type ProjectSource = AnswerOf<typeof projectsGet>
type NamespaceSource = { id: number; name: string; path: string; kind: string; full_path: string }

const project = (type: string, value: (source: ProjectSource) => unknown) => field<ProjectSource>(type, value)

/** A group with all that is known of it; null where the caller does not see it. */
const groupOf = ({ kind, id }: NamespaceSource, reading: Parameters<ObjectType['fields'][string]['value']>[2]) =>
  kind === 'group' ? reading.find(groupsGet, { id, with_projects: false }) : null

const filters = 'state: IssuableState, labelName: [String!], search: String'

const projectType: ObjectType = {
  name: 'Project',
  description: 'A project.',
  fields: {
    id: project('ID!', ({ id }) => typedId('Project', id)),
    name: project('String!', ({ name }) => name),
    path: project('String!', ({ path }) => path),
    fullPath: project('ID!', ({ path_with_namespace }) => path_with_namespace),
    nameWithNamespace: project('String!', ({ name_with_namespace }) => name_with_namespace),
    description: project('String', ({ description }) => description),
    visibility: project('String', ({ visibility }) => visibility),
    archived: project('Boolean', ({ archived }) => archived),
    createdAt: project('Time', ({ created_at }) => created_at),
    lastActivityAt: project('Time', ({ last_activity_at }) => last_activity_at),
    webUrl: project('String', ({ web_url }) => web_url),
    avatarUrl: project('String', ({ avatar_url }) => avatar_url),
    sshUrlToRepo: project('String', ({ ssh_url_to_repo }) => ssh_url_to_repo),
    httpUrlToRepo: project('String', ({ http_url_to_repo }) => http_url_to_repo),
    starCount: project('Int!', ({ star_count }) => star_count),
    forksCount: project('Int', ({ forks_count }) => forks_count),
    openIssuesCount: project('Int', ({ open_issues_count }) => open_issues_count),
    topics: project('[String!]', ({ topics }) => topics),
    namespace: project('Namespace', ({ namespace }) => namespace),
    group: field<ProjectSource>('Group', ({ namespace }, _, reading) => groupOf(namespace, reading)),
    // Who may not read the code is not shown the default branch.
    repository: project('Repository', (source) => (source.default_branch === undefined ? null : source)),
    issue: field<ProjectSource>('Issue', issueIn, 'iid: String!'),
    issues: connection<ProjectSource>('Issue', issuesOf, filters),
    mergeRequest: field<ProjectSource>('MergeRequest', mergeRequestIn, 'iid: String!'),
    mergeRequests: connection<ProjectSource>(
      'MergeRequest',
      mergeRequestsOf,
      'state: MergeRequestState, sourceBranches: [String!], targetBranches: [String!]',
    ),
    labels: connection<ProjectSource>('Label', ({ id }, _, reading) =>
      byPosition(reading, named('project_labels.list'), { id }),
    ),
    milestones: connection<ProjectSource>('Milestone', ({ id }, _, reading) =>
      byPosition(reading, named('project_milestones.list'), { id }),
    ),
    pipelines: connection<ProjectSource>(
      'Pipeline',
      ({ id }, { ref, status }) => ({ operation: pipelinesList, call: { id, ref, status: status?.toLowerCase() } }),
      'ref: String, status: PipelineStatusEnum',
    ),
    projectMembers: connection<ProjectSource>(
      'ProjectMember',
      ({ id }, args, reading) => membersOf({ kind: 'project', id }, args, reading),
      'relations: [MemberRelation!], search: String',
    ),
    userPermissions: project('ProjectPermissions!', (source) => source),
  },
}

/** Projects and namespaces (contract 25, "GraphQL"). */
export const projectTypes: readonly ObjectType[] = [
  projectType,
  {
    name: 'Repository',
    description: 'The repository of a project, for callers who may read its code.',
    fields: {
      rootRef: project('String', ({ default_branch }) => default_branch),
      empty: project('Boolean', ({ empty_repo }) => empty_repo),
      exists: project('Boolean!', () => true),
    },
  },
  {
    name: 'ProjectPermissions',
    description: 'What the caller may do in a project, with the scopes of the token.',
    fields: {
      readProject: project('Boolean!', () => true),
      pushCode: field<ProjectSource>('Boolean!', ({ id }, _, reading) => reading.may(branchesCreate, { id })),
      adminProject: field<ProjectSource>('Boolean!', ({ id }, _, reading) => reading.may(projectsUpdate, { id })),
    },
  },
  {
    name: 'Namespace',
    description: 'A group, or the personal namespace of a user.',
    fields: {
      id: field<NamespaceSource>('ID!', ({ kind, id }) =>
        typedId(kind === 'group' ? 'Group' : 'Namespaces::UserNamespace', id),
      ),
      name: field<NamespaceSource>('String!', ({ name }) => name),
      path: field<NamespaceSource>('String!', ({ path }) => path),
      fullPath: field<NamespaceSource>('ID!', ({ full_path }) => full_path),
      fullName: field<NamespaceSource>('String', async (source, _, reading) =>
        source.kind === 'user' ? source.name : ((await groupOf(source, reading))?.full_name ?? null),
      ),
      visibility: field<NamespaceSource>('String', async (source, _, reading) =>
        source.kind === 'user' ? 'public' : ((await groupOf(source, reading))?.visibility ?? null),
      ),
    },
  },
]
