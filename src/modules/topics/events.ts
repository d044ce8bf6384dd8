declare module '../../platform/platform.ts' {
  interface Events {
    /** A topic takes the projects of another one, which is deleted afterwards. */
    'topics.merging': { sourceId: number; targetId: number }
  }
}
