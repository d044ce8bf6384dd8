/** A sealed token opens only for its migration. */
export const tokenContext = (migrationId: number) => `bulk_imports:${migrationId}:token`
