declare module '../../platform/platform.ts' {
  interface Events {
    /** Users became members of a group or project. */
    'members.added': { source: { kind: 'project' | 'group'; id: number }; memberIds: readonly number[] }
    /** The level or the end of a membership was changed. */
    'member.changed': { source: { kind: 'project' | 'group'; id: number }; memberId: number }
    /** Memberships of a user are about to be deleted: in a group or project, and perhaps below it. */
    'members.ending': {
      source: { kind: 'project' | 'group'; id: number }
      userId: number
      memberIds: readonly number[]
      /** Whether the user is also to be removed from issues and merge requests. */
      unassignIssuables: boolean
    }
  }
}
