/** As this service writes ids: in lower case. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** As people and other programs may write them. */
export const UUID_ANY_CASE = new RegExp(UUID, 'i');
/** Before all others. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';
