/** Levels and events of notifications, in the order of contract 25, section 5. */

/** Their places are the numbers of `notification_level` in projects. */
export const levels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const
export type Level = (typeof levels)[number]

/** The levels of the setting for everything: there is nothing above it whose level it could have. */
export const ownLevels = levels.filter((level) => level !== 'global')

export const levelNumber = (level: Level): number => levels.indexOf(level)

/** The events of the level `custom`, and whether they are on while a user has not chosen. */
export const eventDefaults = {
  new_release: false,
  new_note: false,
  new_issue: false,
  reopen_issue: false,
  close_issue: false,
  reassign_issue: false,
  issue_due: false,
  new_merge_request: false,
  push_to_merge_request: false,
  reopen_merge_request: false,
  close_merge_request: false,
  reassign_merge_request: false,
  change_reviewer_merge_request: false,
  merge_merge_request: false,
  failed_pipeline: true,
  fixed_pipeline: true,
  success_pipeline: false,
  moved_project: true,
  merge_when_pipeline_succeeds: false,
  approver: false,
  new_epic: false,
} as const satisfies Record<string, boolean>

export type NotificationEvent = keyof typeof eventDefaults
export const notificationEvents = Object.keys(eventDefaults) as NotificationEvent[]

/** What a user has chosen of the events. */
export type EventChoices = Partial<Record<NotificationEvent, boolean>>

/** All events, chosen or not. */
export const withDefaults = (chosen: EventChoices): Record<NotificationEvent, boolean> => ({
  ...eventDefaults,
  ...chosen,
})
