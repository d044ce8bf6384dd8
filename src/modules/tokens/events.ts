declare module '../../platform/platform.ts' {
  interface Events {
    /** The day has come on which an access token expired that is not revoked; once for each. */
    'access_token.expired': { tokenId: number; userId: number }
  }
}
