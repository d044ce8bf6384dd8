import { named } from '../../../named.ts'

/** Operations of groups that pages of epics perform. */
export const ofGroups = { upload: named('group_uploads.create'), labels: named('group_labels.list') }
export const epicEvents = [named('epic_label_events.list'), named('epic_state_events.list')]
