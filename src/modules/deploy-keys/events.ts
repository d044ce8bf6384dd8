declare module '../../platform/platform.ts' {
  interface Events {
    /** A deploy key is about to lose its access to a project; the key and its join are still there. */
    'deploy_key.removed': { projectId: number; keyId: number }
  }
}
