import { forms, object, of, Type } from '../../../api/index.ts'
import { JobObject } from '../jobs/present.ts'
import type { ResourceGroupRow } from '../tables.ts'

/** A resource group (contract 24, ResourceGroup). */
export const ResourceGroup = object('ResourceGroup', of<ResourceGroupRow>(), {
  id: forms.id,
  key: Type.String(),
  process_mode: Type.String(),
  created_at: forms.timestamp,
  updated_at: forms.timestamp,
})

const {
  artifacts_file: _file,
  artifacts: _artifacts,
  artifacts_expire_at: _expiry,
  archived: _archived,
  runner: _runner,
  runner_manager: _manager,
  tag_list: _tags,
  ...kept
} = JobObject.properties

/** A job without what its run has left (contract 24, JobBasic). */
export const JobBasic = Type.Object(kept, { title: 'JobBasic' })
