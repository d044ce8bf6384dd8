declare module '../../../platform/platform.ts' {
  interface Events {
    /** A release was created or changed, or is about to be deleted: its row is there. */
    'release.changed': { releaseId: number; projectId: number; action: 'create' | 'update' | 'delete' }
  }
}

export {}
