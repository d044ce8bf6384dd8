import type { UserActor } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import type { Issuable } from '../issuable.ts'

/** What quick actions change by the update of their kind, by the names of its parameters (contract 16, x.issue_update). */
export type CommandChanges = {
  title?: string
  state_event?: 'close' | 'reopen'
  assignee_ids?: number[]
  labels?: string[]
  add_labels?: string[]
  remove_labels?: string[]
  milestone_id?: number | null
  due_date?: string | null
  weight?: number | null
  confidential?: boolean
  discussion_locked?: boolean
  epic_id?: number | null
  iteration_id?: number | null
  health_status?: string | null
  severity?: string
}

/** What the caller may do with an issuable. */
export type CommandRights = {
  /** Change its text and state. */
  mayChange: boolean
  /** Change its labels, assignees, milestone and so on, and its time tracking. */
  mayPlan: boolean
}

/** Where quick actions are run. */
export type CommandContext = CommandRights & {
  platform: Platform
  actor: UserActor
  issuable: Issuable
  parent: ProjectOrGroupRef
  /** The assignees at this point: those stored, changed by earlier quick actions. */
  assigneeIds: number[]
}

/** What one quick action does. */
export type Step = {
  update?: CommandChanges
  /** What it does besides the update, after that. */
  effect?: () => Promise<unknown>
  /** The attributes that it changes (contract 16, `commands_changes`). */
  changes: Record<string, unknown>
  /** A sentence about it. */
  summary: string
}

/** A quick action. @returns null when it does not apply: it is ignored. @throws ApiError 400 for an argument it cannot use */
export type Command = {
  needs: keyof CommandRights | null
  run(context: CommandContext, argument: string): Promise<Step | null> | Step | null
}
