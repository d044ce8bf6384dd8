import { computed, forms, object, of, oneOf, Type } from '../../api/index.ts'
import { MergeRequest } from '../merge-requests/index.ts'
import type { ProtectedBranchRow } from '../protected-branches/index.ts'
import type { ScopedCheck } from './store.ts'
import { type CheckStatus, checkStatuses } from './tables.ts'

const text = Type.String()

const StatusCheckBranch = object('StatusCheckBranch', of<ProtectedBranchRow>(), {
  id: forms.id,
  project_id: forms.nullableInteger,
  name: text,
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
  code_owner_approval_required: Type.Boolean(),
})

/** An external status check of a project (contract 24, StatusCheck). */
export const ExternalStatusCheck = object('ExternalStatusCheck', of<ScopedCheck>(), {
  id: forms.id,
  name: text,
  project_id: forms.id,
  external_url: text,
  protected_branches: computed(Type.Array(StatusCheckBranch), ({ branches }) =>
    branches.map((branch) => StatusCheckBranch.present(branch)),
  ),
  hmac: computed(Type.Boolean({ description: 'Whether requests are signed.' }), (row) => row.sealed_secret !== null),
})

/** The address without what stands after `?`, which can be a secret. */
const withoutQuery = (url: string) => url.replace(/[?#].*$/s, '')

/** A check as a merge request has it (contract 24, StatusCheck). The view says whether the caller may know the address. */
export const MergeRequestStatusCheck = object(
  'MergeRequestStatusCheck',
  of<ScopedCheck & { status: CheckStatus }, { showsAddress: boolean }>(),
  {
    id: forms.id,
    name: text,
    external_url: computed(text, ({ external_url }, { showsAddress }) =>
      showsAddress ? withoutQuery(external_url) : '',
    ),
    status: oneOf(checkStatuses),
  },
)

/** An answer of an external program (contract 24, StatusCheck). */
export const StatusCheckAnswer = Type.Object(
  { id: forms.id, merge_request: MergeRequest, external_status_check: ExternalStatusCheck },
  { title: 'StatusCheckAnswer' },
)
