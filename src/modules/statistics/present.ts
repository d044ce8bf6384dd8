import { forms, Type } from '../../api/index.ts'
import { type InstanceCount, instanceCounts } from './store.ts'

const digits = Type.String({ examples: ['1,234'] })

/** Counts over the instance (contract 20, Statistics). */
export const Statistics = Type.Unsafe<Record<InstanceCount, string>>(
  Type.Object(Object.fromEntries(instanceCounts.map((name) => [name, digits])), { title: 'ApplicationStatistics' }),
)

/** Users whose latest sign-in was on a day (contract 20, x.sign_in_statistics). */
export const SignInsOfDay = Type.Object({ day: forms.day, users: Type.Integer() }, { title: 'SignInsOfDay' })

const bytes = Type.Integer({ description: 'Bytes' })

/** What all projects store (contract 20, x.storage_statistics). */
export const StoredBytes = Type.Object(
  { repositories: bytes, wikis: bytes, lfs_objects: bytes, snippets: bytes, uploads: bytes, pages: bytes },
  { title: 'StoredBytes' },
)

/** The open work of a user (contract 20, x.user_counts). */
export const UserCounts = Type.Object(
  {
    merge_requests: Type.Integer({ description: 'The same as `assigned_merge_requests`.' }),
    assigned_issues: Type.Integer(),
    assigned_merge_requests: Type.Integer(),
    review_requested_merge_requests: Type.Integer(),
    todos: Type.Integer(),
  },
  { title: 'UserCounts' },
)

/** What belongs to a user (contract 20, x.users_assoc_count). */
export const AssociationsCount = Type.Object(
  {
    groups_count: Type.Integer(),
    projects_count: Type.Integer(),
    issues_count: Type.Integer(),
    merge_requests_count: Type.Integer(),
  },
  { title: 'AssociationsCount' },
)
