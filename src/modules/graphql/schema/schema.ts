import { type ObjectType, schemaText } from './declare.ts'
import { groupTypes } from './groups.ts'
import { issuableTypes } from './issuables.ts'
import { projectTypes } from './projects.ts'
import { queryTypes } from './query.ts'
import { userTypes } from './users.ts'

const others = `
"A moment in ISO 8601."
scalar Time

"A day, as YYYY-MM-DD."
scalar Date

"The id of a user: gid://gitlab/User/1."
scalar UserID

"The id of an issue: gid://gitlab/Issue/1."
scalar IssueID

"The id of a merge request: gid://gitlab/MergeRequest/1."
scalar MergeRequestID

enum UserState { active blocked deactivated banned blocked_pending_approval ldap_blocked }

enum IssueState { opened closed }

enum IssuableState { opened closed all }

enum MergeRequestState { opened closed locked merged all }

enum MilestoneState { active closed }

enum PipelineStatusEnum {
  CREATED WAITING_FOR_RESOURCE PREPARING WAITING_FOR_CALLBACK PENDING RUNNING SUCCESS FAILED CANCELING CANCELED SKIPPED MANUAL
  SCHEDULED
}

enum AccessLevelEnum { NO_ACCESS MINIMAL_ACCESS GUEST PLANNER REPORTER DEVELOPER MAINTAINER OWNER }

"Where members come from: DIRECT alone leaves out all others."
enum MemberRelation { DIRECT INHERITED SHARED_FROM_GROUPS }

"Where a page lies in its list."
type PageInfo {
  hasNextPage: Boolean!
  hasPreviousPage: Boolean!
  startCursor: String
  endCursor: String
}
`

/** The object types of the schema whose fields are read; connections have their values as members. */
export const types: readonly ObjectType[] = [
  ...queryTypes,
  ...userTypes,
  ...projectTypes,
  ...groupTypes,
  ...issuableTypes,
]

/** The schema in its language. */
export const text = (): string => schemaText(types, others)
