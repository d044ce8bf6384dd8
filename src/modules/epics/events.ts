/** The earliest start and the latest due date of the milestones of an epic's issues; days, null without any. */
export type MilestoneDates = { start: string | null; due: string | null }

declare module '../../platform/platform.ts' {
  interface Questions {
    /** The dates of the milestones of the issues of each of these epics, closed issues included; epics without any are absent. */
    'epics.milestone_dates'(epicIds: readonly number[]): Promise<ReadonlyMap<number, MilestoneDates>>
  }
}
