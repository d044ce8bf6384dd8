declare module '../../platform/platform.ts' {
  interface Events {
    /** A namespace has another path: the paths of the namespaces below it are changed, those of projects are not. */
    'namespace.moved': { namespaceId: number; formerPath: string }
    /** The deletion marks of a namespace and of the namespaces below it were recomputed. */
    'namespace.marked': { namespaceId: number }
    /** A namespace was hidden with the namespaces below it. */
    'namespace.hidden': { namespaceId: number }
  }
}
