declare module '../../platform/platform.ts' {
  interface Events {
    /** A user has got an SSH key. */
    'key.added': { keyId: number }
    /** A key of a user is about to be deleted: its row is still there. */
    'key.removed': { keyId: number }
  }
}

export {}
