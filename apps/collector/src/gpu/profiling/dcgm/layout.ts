/** `dcgmFieldValue_v1` of dcgm_structs.h. */
export const VALUE_BYTES = 4_120;
