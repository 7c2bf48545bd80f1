/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Internal to order. */
#ifndef PT_ORDER_H
#define PT_ORDER_H

/*
 * How many pairs of neighbours in @order, of @count numbers, are not in rising
 * order.
 */
int pt_order_inversions(const int order[], int count);

#endif /* PT_ORDER_H */
